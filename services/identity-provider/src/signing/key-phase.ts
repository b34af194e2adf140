/** Whether a key signs, and whether it is published, in each phase. */
export const keyPhases = {
  announced: { published: true, signs: false },
  active: { published: true, signs: true },
  retired: { published: true, signs: false },
  gone: { published: false, signs: false },
} as const

/** A phase of a signing key. A key passes through the phases in this order. */
export type KeyPhase = keyof typeof keyPhases
