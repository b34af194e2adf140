/** The phases of a signing key in their order, and whether the key signs. It is published in each of them. */
export const keyPhases = {
  announced: { signs: false },
  active: { signs: true },
  retired: { signs: false },
} as const

/** A phase of a signing key. */
export type KeyPhase = keyof typeof keyPhases
