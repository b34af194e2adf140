import { emptyGuid } from '@greeting/directory'
import { contoso } from '../sample-graph.ts'
import { type Asked, application, oneOf, principal, type Scene } from './authority-scene.ts'
import { authoritySteps } from './trusted-authority-samples.ts'

/** What a new policy of each set contains, and its kind. */
const contents = {
  appManagementPolicies: { kind: 'appManagement', content: { restrictions: {} } },
  tokenLifetimePolicies: {
    kind: 'tokenLifetime',
    content: { definition: ['{"TokenLifetimePolicy":{"Version":1}}'] },
  },
  claimsMappingPolicies: {
    kind: 'claimsMapping',
    content: { definition: ['{"ClaimsMappingPolicy":{"Version":1}}'] },
  },
}

type Step = [string, (scene: Scene) => Asked | undefined]

const steps = Object.entries(contents).flatMap(([set, { kind, content }]): Step[] => {
  /** The first policy of the kind, or any ID: then it is not found. */
  const policyId = ({ directory, tenantId }: Scene) =>
    directory.tenant(tenantId)?.policies.find((one) => one.kind === kind && one.id !== emptyGuid)
      ?.id ?? contoso.id
  const one = (scene: Scene) => `/policies/${set}/${policyId(scene)}`
  const holders = { applications: application, servicePrincipals: principal }
  return [
    [
      `POST /policies/${set}`,
      () => ({ path: `/policies/${set}`, body: { displayName: 'Policy', ...content } }),
    ],
    [
      `PATCH /policies/${set}/{policy}`,
      (scene) => ({ path: one(scene), body: { displayName: 'Other' } }),
    ],
    [`DELETE /policies/${set}/{policy}`, (scene) => ({ path: one(scene) })],
    ...Object.entries(holders)
      .filter(([objects]) => `${objects}/${set}` !== 'applications/claimsMappingPolicies')
      .flatMap(([objects, find]): Step[] => {
        const at = (scene: Scene, suffix: string, body?: object) => {
          const { directory, tenantId } = scene
          const all = [
            ...(objects === 'applications'
              ? directory.applicationsOf(tenantId)
              : directory.servicePrincipalsOf(tenantId)),
          ]
          // An assignment that exists is found more often than by chance.
          const assigned = all.filter((one) => one.policyIds.includes(policyId(scene)))
          const object =
            (suffix === '' ? undefined : oneOf(assigned, scene.step.object)) ?? find(scene)
          return object && { path: `/${objects}/${object.id}/${set}${suffix}/$ref`, body }
        }
        return [
          [
            `POST /${objects}/{id}/${set}`,
            (scene) =>
              at(scene, '', { '@odata.id': `https://graph.microsoft.com/v1.0${one(scene)}` }),
          ],
          [
            `DELETE /${objects}/{id}/${set}/{policy}/$ref`,
            (scene) => at(scene, `/${policyId(scene)}`),
          ],
        ]
      }),
  ]
})

/** Makes a random change to policies, or to the objects that have them, through their operations. */
export const policySteps: Readonly<Record<string, Step[1]>> = {
  'PATCH /policies/defaultAppManagementPolicy': () => ({
    path: '/policies/defaultAppManagementPolicy',
    body: { displayName: 'Default' },
  }),
  ...Object.fromEntries(steps),
  ...authoritySteps,
}
