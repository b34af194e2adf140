import { badRequest, type Refusal } from './agent-refusals.ts'

/** The refusals of references between objects, and of assignments, which refer to two objects. */
export const referenceRefusals = {
  reference_invalid: { ...badRequest, sentence: () => 'Not a valid reference update.' },
  assignment_taken: {
    ...badRequest,
    sentence: () => 'Permission being assigned already exists on the object',
  },
  assigned_role_unknown: {
    ...badRequest,
    sentence: () => 'Permission being assigned was not found on application',
  },
  reference_taken: {
    ...badRequest,
    sentence: (property: string) =>
      `One or more added object references already exist for the following modified properties: '${property}'.`,
  },
  reference_type_invalid: {
    ...badRequest,
    sentence: (type: string, id: string, property: string) =>
      `The reference target '${type}_${id}' of type '${type}' is invalid for the '${property}' reference.`,
  },
  owners_need_reference: {
    ...badRequest,
    sentence: () => "Property 'owners' cannot be updated. Use POST and DELETE of owners/$ref.",
  },
} satisfies Readonly<Record<string, Refusal>>
