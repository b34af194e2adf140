import {
  type ComparedName,
  comparedBody,
  comparedProperties,
  comparedRead,
} from '@greeting/registrations/compared-properties'
import type { Form } from '../security/portal-form.ts'
import { type Attempt, choice } from './form.ts'

/** How a form shows a property of the registrations file. Options have values in JSON. */
type PropertyField = Omit<Parameters<typeof choice>[0], 'name' | 'value'>

const propertyFields: Readonly<Record<ComparedName, PropertyField>> = {
  requestedAccessTokenVersion: {
    label: 'Access token version',
    help: 'The API decides the version, not the client.',
    options: [
      { value: 'null', label: 'Not set (v1.0)' },
      { value: '1', label: 'v1.0' },
      { value: '2', label: 'v2.0' },
    ],
  },
  appRoleAssignmentRequired: {
    label: 'Assignment required',
    options: [
      { value: 'false', label: 'No: a client without a role gets a token without roles' },
      { value: 'true', label: 'Yes: a client without a role gets no token' },
    ],
  },
}

const fieldsOf = (of: 'application' | 'servicePrincipal') =>
  (Object.entries(propertyFields) as [ComparedName, PropertyField][]).filter(
    ([name]) => comparedProperties[name].of === of,
  )

/** The fields for the properties of an object. */
export const fieldsFor = (
  of: 'application' | 'servicePrincipal',
  object: object,
  attempt: Attempt | undefined,
) =>
  fieldsOf(of).map(([name, one]) => {
    const value = JSON.stringify(comparedRead(name, object) ?? null)
    return choice({ name, ...one, value }, attempt)
  })

/** The sent values of these fields, in the form of a body for Graph. */
export const sentValues = (of: 'application' | 'servicePrincipal', sent: Form): object =>
  comparedBody(
    Object.fromEntries(
      fieldsOf(of).map(([name, { options }]) => {
        const chosen = options.find(({ value }) => value === sent.get(name))
        return [name, JSON.parse(chosen?.value ?? 'null')]
      }),
    ),
  )
