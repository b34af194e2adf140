/** Mutants of the sample that no test can or need detect, by their id, with the reason. */
export const knownSurvivors: Readonly<Record<string, string>> = {
  '10dcf2d6': 'A matching credential always has a matching audience.',
  '0cf3e6f1': 'A short list is only kept needlessly: the roles are the same.',
  '1adba16d': 'Only the time of the answer shows the missing comparison.',
  '06d11757': 'No application has the unique name null.',
  '063e02b7': 'The limit of a certificate is one character higher.',
  '01056042': 'The limit of the answers of a batch is one byte lower.',
  '01591366': 'Members of a directory object are filtered by their own sets.',
  '05a9809b': 'The objects are compared one by one, without the index.',
  '02a13f2d': 'A guard of an unknown tenant refuses every token too.',
  '05e5b146': 'The sentence of the refusal has no name for a role that is no longer declared.',
  '032cd482': 'A byte after the end of a text is no sign of JSON.',
  '0618b49f': 'The roles of the caller are read first, and their reader refuses the same tenant.',
  '0561f217': 'The limit of a form is 64 bytes higher.',
  '0dd9c1cf': 'Only the first four groups of an address count.',
  '0b280e96': 'One more issuer is remembered.',
  '1550fcd5': 'The limit of a document of an issuer is one byte lower.',
}
