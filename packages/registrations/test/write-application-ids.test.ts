import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseRegistrations } from '../src/parse-registrations.ts'
import { writeApplicationIds } from '../src/write-application-ids.ts'

const [api, client, agent] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  '33333333-3333-4333-8333-333333333333',
]
const ids = new Map([
  ['Orders "API"', api],
  ['Job', client],
  ['Helper', agent],
  ['First secret', api],
])

const rows: [string, string, string][] = [
  [
    'with the indentation of its entry',
    `{
  "clients": [
    {
      "displayName": "Job",
      "secrets": [{ "displayName": "First secret" }]
    }
  ],
  "apis": [{ "appRoles": [], "displayName": "Orders \\"API\\"" }]
}
`,
    `{
  "clients": [
    {
      "displayName": "Job",
      "applicationId": "${client}",
      "secrets": [{ "displayName": "First secret" }]
    }
  ],
  "apis": [{ "appRoles": [], "displayName": "Orders \\"API\\"", "applicationId": "${api}" }]
}
`,
  ],
  [
    'in a text without whitespace, and with brackets in strings',
    '{"removed":["{[\\"displayName\\":"],"clients":[{"displayName":"x"},{"displayName":"Job"}]}',
    `{"removed":["{[\\"displayName\\":"],"clients":[{"displayName":"x"},{"displayName":"Job","applicationId":"${client}"}]}`.replace(
      '"applicationId":"',
      '"applicationId": "',
    ),
  ],
  [
    'beside a name with escapes',
    '{ "clients": [{ "display\\u004eame" : "J\\u006fb" }] }',
    `{ "clients": [{ "display\\u004eame" : "J\\u006fb", "applicationId": "${client}" }] }`,
  ],
  [
    'for a blueprint and its agent, but for no credential',
    '{ "blueprints": [{ "displayName": "Job", "agents": [{ "displayName": "Helper" }],\n "secrets": [{ "displayName": "First secret" }] }] }',
    `{ "blueprints": [{ "displayName": "Job", "applicationId": "${client}", "agents": [{ "displayName": "Helper", "applicationId": "${agent}" }],\n "secrets": [{ "displayName": "First secret" }] }] }`,
  ],
  [
    'nowhere, if an ID exists',
    `{ "clients": [{ "applicationId": "${api}", "displayName": "Job" }] }`,
    `{ "clients": [{ "applicationId": "${api}", "displayName": "Job" }] }`,
  ],
]

describe('an application ID is written to the file', () => {
  for (const [name, text, expected] of rows)
    it(name, () => {
      const written = writeApplicationIds(text, parseRegistrations(text), ids)
      assert.equal(written, expected)
      assert.doesNotThrow(() => parseRegistrations(written))
    })
})
