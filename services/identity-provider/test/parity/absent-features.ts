/** A feature of Entra ID that this project knows but does not have. */
export type AbsentFeature = {
  readonly feature: string
  /** The answer to a request for it. */
  readonly answer: string
  readonly reason: string
}

/** The features that are absent. The parity page lists them. */
export const absentFeatures: readonly AbsentFeature[] = [
  {
    feature: 'users, and every grant type for them',
    answer: 'AADSTS70003',
    reason: 'Only programs authenticate here.',
  },
  {
    feature: 'delegated permissions in tokens (`scp`)',
    answer: 'no claim',
    reason: 'They need a user.',
  },
  {
    feature: '`authorize`, `devicecode`, `logout` and other endpoints for users',
    answer: '404',
    reason: 'Documents name them, because some clients require them.',
  },
  {
    feature: 'continuous access evaluation: tokens of up to 28 hours',
    answer: 'an ordinary token',
    reason: 'The guard has no channel for revocation events.',
  },
  {
    feature: 'tokens with proof of possession (`token_type=pop`, `req_cnf`)',
    answer: 'AADSTS90100',
    reason: 'Mutual TLS binds tokens to certificates.',
  },
  {
    feature: 'users of agent identities, and other paths in `fmi_path` than the ID of an agent',
    answer: 'AADSTS90100',
    reason: 'Only programs authenticate here.',
  },
  {
    feature: 'Conditional Access for workloads',
    answer: 'no refusal',
    reason: 'There are no policies.',
  },
  {
    feature: 'cookies of the token endpoint',
    answer: 'no cookie',
    reason: 'No client of this grant reads them.',
  },
  {
    feature: 'change tracking (`delta`) of `directoryObjects`',
    answer: '400 `Request_BadRequest`',
    reason:
      'It exists for applications, service principals and grants. The audit log has every change.',
  },
  {
    feature: '`Prefer: return=minimal` for change tracking',
    answer: 'all properties',
    reason:
      'The store keeps the latest state of an object, so it does not know which properties changed.',
  },
  {
    feature: 'the gallery of application templates',
    answer: '404 `Request_ResourceNotFound`',
    reason: 'It is a list of products of others. The template of own applications exists.',
  },
  {
    feature: 'subscriptions and resources of Azure Resource Manager',
    answer: 'an empty list, or 404',
    reason: 'A login needs the list only.',
  },
]
