/** Mutants of the sample that no test can or need detect, by their id, with the reason. */
export const knownSurvivors: Readonly<Record<string, string>> = {}
