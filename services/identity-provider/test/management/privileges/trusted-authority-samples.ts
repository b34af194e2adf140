import { authoritiesIn, emptyGuid, put } from '@greeting/directory'
import { guid, policy } from '../../../../../test/fixtures/directory/sample.ts'
import { issuedCertificate } from '../../../../../test/fixtures/issued-certificate.ts'
import { contoso } from '../sample-graph.ts'
import type { Asked, Scene as SequenceScene } from './authority-scene.ts'
import type { Scene } from './privilege-fixture.ts'

/** The paths of the lists of trusted authorities, and of the authorities in one list. */
export const lists = '/directory/certificateAuthorities/certificateBasedApplicationConfigurations'
export const authorities = `${lists}/{policy}/trustedCertificateAuthorities`

const { base64: certificate } = await issuedCertificate('Root')
const root = { isRootAuthority: true, certificate }

/** The bodies of the operations that require one. */
export const authorityBodies: Readonly<Record<string, object>> = {
  [`POST ${lists}`]: { displayName: 'Trusted', trustedCertificateAuthorities: [root, root] },
  [`PATCH ${lists}/{policy}`]: { displayName: 'Other' },
  [`POST ${authorities}`]: root,
  [`PATCH ${authorities}/{authority}`]: { issuer: 'Other' },
}

const noNames = { issuer: null, issuerSubjectKeyIdentifier: null }
const list = policy(0x95, {
  kind: 'trustedAuthorities',
  definition: [guid(0x96), guid(0x97)].map((id) => ({ id, ...root, ...noNames })),
})

const onList = ['GET', 'PATCH', 'DELETE'].flatMap((method) => [
  `${method} ${lists}/{policy}`,
  `${method} ${authorities}/{authority}`,
])

/** The requests for a list of the tenant whose authorities may be removed. */
export const authorityAsks = Object.fromEntries(
  [...onList, `GET ${authorities}`, `POST ${authorities}`].map((name) => [
    name,
    async ({ commit, log }: Scene) => {
      const tenant = log.directory.tenant(contoso.id) ?? contoso
      await commit(put('tenant', { ...tenant, policies: [list] }))
      const path = name.split(' ')[1] ?? ''
      return { path: withIds(path, list.id, guid(0x96)), body: authorityBodies[name] }
    },
  ]),
)

const withIds = (path: string, listId: string, authorityId: string) =>
  path.replace('{policy}', listId).replace('{authority}', authorityId)

/** Makes a random change to a list, through its operation. */
export const authoritySteps = Object.fromEntries(
  [`POST ${lists}`, `POST ${authorities}`, ...onList]
    .filter((name) => !name.startsWith('GET'))
    .map((name) => [
      name,
      ({ directory, tenantId }: SequenceScene): Asked => {
        const known = directory
          .tenant(tenantId)
          ?.policies.find(({ kind }) => kind === 'trustedAuthorities')
        const authorityId = known && authoritiesIn(known)[0]?.id
        const path = name.split(' ')[1] ?? ''
        return {
          path: withIds(path, known?.id ?? emptyGuid, authorityId ?? emptyGuid),
          body: authorityBodies[name],
        }
      },
    ]),
)
