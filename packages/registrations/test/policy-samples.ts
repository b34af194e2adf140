import type { Edit } from './agent-samples.ts'

/** Members of earlier files, which are now set through Microsoft Graph. */
export const policyEdits = [
  [['policies'], 'policies'],
  [['clients', 0, 'appManagementPolicy'], 'clients[0].appManagementPolicy'],
  [['apis', 0, 'tokenLifetimePolicy'], 'apis[0].tokenLifetimePolicy'],
].map(([path, place]): Edit => {
  const sentence = 'is set over Microsoft Graph, as the page "Policies" of the documents shows'
  return [
    `${place}, which earlier files could have`,
    [...(path ?? [])],
    null,
    `${place} ${sentence}`,
  ]
})
