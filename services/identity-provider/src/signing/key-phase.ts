/** What a key in each phase of its life does. */
export const keyPhases = {
  announced: { published: true, signs: false },
  active: { published: true, signs: true },
  retired: { published: true, signs: false },
  gone: { published: false, signs: false },
} as const

/** A phase in the life of a signing key; a key passes through them in this order. */
export type KeyPhase = keyof typeof keyPhases
