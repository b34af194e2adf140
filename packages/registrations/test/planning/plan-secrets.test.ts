import {
  certificate,
  client,
  type Difference,
  describeDifferences,
  same,
  set,
} from './difference.ts'
import { ids, now, sampleClient, sampleState } from './sample-state.ts'

const withSecret = (values: object) =>
  sampleState({
    client: {
      passwordCredentials: sampleClient.passwordCredentials.map((one) => ({ ...one, ...values })),
    },
  })
const primary = '"primary" of "Greeting client"'

const keyCredential = (keyId: string, customKeyIdentifier: string) => ({
  keyId,
  displayName: 'old laptop',
  customKeyIdentifier,
  type: 'AsymmetricX509Cert',
  usage: 'Verify',
  startDateTime: new Date('2025-01-01T00:00:00Z'),
  endDateTime: new Date('2027-01-01T00:00:00Z'),
})

const differences: Difference[] = [
  {
    name: 'a missing secret',
    expected: [`createSecret   + secret ${primary}, valid for 180 days`],
    change: same,
    state: sampleState({ client: { passwordCredentials: [] } }),
  },
  {
    name: 'a secret that has ended',
    expected: [
      `createSecret   + secret ${primary}, valid for 180 days: the last credential expired on 2026-03-01`,
      `removeSecret   - secret ${primary} (q7Y..., ends 2026-03-01): ended on 2026-03-01`,
    ],
    change: same,
    state: withSecret({ endDateTime: now }),
  },
  {
    name: 'a secret whose text is lost',
    expected: [
      `createSecret   + secret ${primary}, valid for 180 days`,
      `removeSecret   - secret ${primary} (q7Y..., ends 2026-07-31): its text is lost`,
    ],
    change: same,
    lost: sampleClient.passwordCredentials.map(({ keyId }) => keyId),
  },
  {
    name: 'a secret that is due for rotation',
    expected: [
      `rotateSecret ! ~ secret ${primary}: a new one, valid for 180 days, in addition to the current one: the current one ends on 2026-03-31`,
    ],
    change: same,
    state: withSecret({ endDateTime: new Date('2026-03-31T12:00:00Z') }),
  },
  {
    name: 'a secret that is not due yet',
    expected: [],
    change: same,
    state: withSecret({ endDateTime: new Date('2026-03-31T12:00:01Z') }),
  },
  {
    name: 'a requested rotation',
    expected: [
      `rotateSecret ! ~ secret ${primary}: a new one, valid for 180 days, in addition to the current one: requested`,
    ],
    change: same,
    state: sampleState(),
    rotate: ['Greeting client'],
  },
  {
    name: 'a secret that the file does not list',
    expected: [
      `createSecret   + secret ${primary}, valid for 180 days`,
      'removeSecret ! - secret "by hand" of "Greeting client" (q7Y..., ends 2026-07-31): not in the file',
    ],
    change: same,
    state: withSecret({ displayName: 'by hand' }),
  },
  {
    name: 'no changes, when the file has no list of secrets',
    expected: [],
    change: (file) => void Reflect.deleteProperty(file.clients[0] ?? {}, 'secrets'),
    state: withSecret({ displayName: 'by hand', endDateTime: now }),
  },
  {
    name: 'a missing certificate, and one that the file does not list',
    expected: [
      'setCertificates ! + certificate "laptop" of "Greeting client" (acee7edfb5e53e6a8f45a8d8b1b6c1c1a3b1a0d2, ends 2027-01-01)',
      'setCertificates ! - certificate "old laptop" of "Greeting client"',
    ],
    change: (file) =>
      set(client(file), { certificates: [{ displayName: 'laptop', path: 'laptop.pem' }] }),
    state: sampleState({ client: { keyCredentials: [keyCredential(ids.other, 'AAAA')] } }),
  },
  ...[certificate.sha1Thumbprint.toUpperCase(), 'rO5+37XlPmqPRajYsbbBwaOxoNI='].map(
    (thumbprint): Difference => ({
      name: `no changes, for a certificate with the thumbprint ${thumbprint}`,
      expected: [],
      change: (file) =>
        set(client(file), { certificates: [{ displayName: 'laptop', path: 'laptop.pem' }] }),
      state: sampleState({ client: { keyCredentials: [keyCredential(ids.other, thumbprint)] } }),
    }),
  ),
]

describeDifferences('a plan for secrets and certificates has', differences)
