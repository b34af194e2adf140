import { claimForgeries } from './claim-forgeries.ts'
import type { Forgery, ForgeryMaterial, ForgeryRow } from './forgery.ts'
import { signatureForgeries } from './signature-forgeries.ts'

export const forgeryRows = { ...signatureForgeries, ...claimForgeries }

/** The name of a forgery. */
export type ForgeryName = keyof typeof forgeryRows

/** Creates each hostile token once, in the order of the table. */
export const makeForgeries = (material: ForgeryMaterial): readonly Forgery<ForgeryName>[] =>
  Object.entries(forgeryRows).map(([name, { reason, section, make }]: [string, ForgeryRow]) => ({
    name: name as ForgeryName,
    reason,
    section,
    token: make(material),
  }))
