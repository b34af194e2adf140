const scopes =
  'guard authorizer client registrations http-service directory portal lab api idp cli testing docs e2e examples bench site architecture build deploy'

/** The form of a commit: `scope: imperative`, and a body that gives the reason. */
// biome-ignore lint/style/noDefaultExport: commitlint takes the default export.
export default {
  parserPreset: {
    parserOpts: {
      // An imperative starts in lower case, but for a name such as ETag. commitlint calls our scope a type.
      headerPattern: /^([a-z0-9-]+): (?!\p{Lu}\p{Ll})(.+)$/u,
      headerCorrespondence: ['type', 'subject'],
    },
  },
  rules: {
    'body-empty': [2, 'never'],
    'body-leading-blank': [2, 'always'],
    'header-max-length': [2, 'always', 72],
    'subject-full-stop': [2, 'never', '.'],
    'type-empty': [2, 'never'],
    'type-enum': [2, 'always', scopes.split(' ')],
  },
}
