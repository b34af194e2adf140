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
  [
    'a missing secret',
    [`createSecret   + secret ${primary}, valid for 180 days`],
    same,
    sampleState({ client: { passwordCredentials: [] } }),
  ],
  [
    'a secret that has ended',
    [
      `createSecret   + secret ${primary}, valid for 180 days: the last one ended on 2026-03-01`,
      `removeSecret   - secret ${primary} (q7Y..., ends 2026-03-01): ended on 2026-03-01`,
    ],
    same,
    withSecret({ endDateTime: now }),
  ],
  [
    'a secret that is due for rotation',
    [
      `rotateSecret ! ~ secret ${primary}: a new one, valid for 180 days, beside the current one: the current one ends on 2026-03-31`,
    ],
    same,
    withSecret({ endDateTime: new Date('2026-03-31T12:00:00Z') }),
  ],
  [
    'a secret that is not due yet',
    [],
    same,
    withSecret({ endDateTime: new Date('2026-03-31T12:00:01Z') }),
  ],
  [
    'a requested rotation',
    [
      `rotateSecret ! ~ secret ${primary}: a new one, valid for 180 days, beside the current one: requested`,
    ],
    same,
    sampleState(),
    ['Greeting client'],
  ],
  [
    'a secret that the file does not list',
    [
      `createSecret   + secret ${primary}, valid for 180 days`,
      'removeSecret ! - secret "by hand" of "Greeting client" (q7Y..., ends 2026-07-31): not in the file',
    ],
    same,
    withSecret({ displayName: 'by hand' }),
  ],
  [
    'no changes, when the file has no list of secrets',
    [],
    (file) => void Reflect.deleteProperty(file.clients[0] ?? {}, 'secrets'),
    withSecret({ displayName: 'by hand', endDateTime: now }),
  ],
  [
    'a missing certificate, and one that the file does not list',
    [
      'setCertificates ! + certificate "laptop" of "Greeting client" (acee7edfb5e53e6a8f45a8d8b1b6c1c1a3b1a0d2, ends 2027-01-01)',
      'setCertificates ! - certificate "old laptop" of "Greeting client"',
    ],
    (file) => set(client(file), { certificates: [{ displayName: 'laptop', path: 'laptop.pem' }] }),
    sampleState({ client: { keyCredentials: [keyCredential(ids.other, 'AAAA')] } }),
  ],
  ...[certificate.sha1Thumbprint.toUpperCase(), 'rO5+37XlPmqPRajYsbbBwaOxoNI='].map(
    (thumbprint): Difference => [
      `no changes, for a certificate with the thumbprint ${thumbprint}`,
      [],
      (file) =>
        set(client(file), { certificates: [{ displayName: 'laptop', path: 'laptop.pem' }] }),
      sampleState({ client: { keyCredentials: [keyCredential(ids.other, thumbprint)] } }),
    ],
  ),
]

describeDifferences('a plan for secrets and certificates has', differences)
