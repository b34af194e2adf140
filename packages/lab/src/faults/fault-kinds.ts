import type { FaultKind } from '@greeting/portal'
import { z } from 'zod'
import type { Endpoint } from './endpoint.ts'
import { type FaultRow, faultRows } from './fault-rows.ts'

/** The faults with their parameters, as documents and forms show them. */
export const faultKinds: readonly FaultKind[] = Object.entries(faultRows).map(
  ([name, { at, summary, parameters }]: [string, FaultRow<Endpoint, z.ZodRawShape>]) => ({
    name,
    at,
    summary,
    parameters: parametersOf(parameters),
  }),
)

type Property = {
  readonly default?: string | number
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly (string | number)[]
}

function parametersOf(schema: z.ZodObject): FaultKind['parameters'] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input' })
  return Object.entries(properties as Readonly<Record<string, Property>>).map(
    ([name, { default: initial, enum: choices, minimum, maximum }]) => ({
      name,
      initial,
      choices,
      minimum,
      maximum,
      isRequired: required.includes(name),
    }),
  )
}
