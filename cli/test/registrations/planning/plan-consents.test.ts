import { client, type Difference, describeDifferences, same, set } from './difference.ts'
import { ids, sampleAssignments, sampleClient, sampleState } from './sample-state.ts'

const differences: Difference[] = [
  [
    'a permission that is not requested yet',
    ['setPermissions   + "Greeting client" requests CallHelloApiRole of "Greeting API"'],
    same,
    sampleState({
      client: {
        requiredResourceAccess: [
          { resourceAppId: ids.api, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
        ],
      },
    }),
  ],
  [
    'a permission that is requested no more, and its consent, taken back',
    [
      'setPermissions   - "Greeting client" requests CallHelloApiRole of "Greeting API"',
      'revokeConsent ! - "Greeting client" was granted CallHelloApiRole of "Greeting API"',
    ],
    (file) => {
      set(client(file), { permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }] })
      file.consents[0]?.roles.pop()
    },
  ],
  [
    'a permission of an API that the file does not speak of',
    [`setPermissions   - "Greeting client" requests ${ids.hi} of "${ids.other}"`],
    same,
    sampleState({
      client: {
        requiredResourceAccess: [
          ...sampleClient.requiredResourceAccess,
          { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Role' }] },
        ],
      },
    }),
  ],
  [
    'delegated permissions, which the file does not speak of',
    [],
    same,
    sampleState({
      client: {
        requiredResourceAccess: [
          ...sampleClient.requiredResourceAccess,
          { resourceAppId: ids.other, resourceAccess: [{ id: ids.hi, type: 'Scope' }] },
        ],
      },
    }),
  ],
  [
    'a consent that is not granted yet',
    ['grantConsent   + "Greeting client" is granted CallHelloApiRole of "Greeting API"'],
    same,
    sampleState({ assignments: sampleAssignments.slice(0, 1) }),
  ],
  [
    'a consent for all that is requested',
    ['grantConsent   + "Greeting client" is granted CallHiApiRole of "Greeting API"'],
    (file) => void Reflect.deleteProperty(file.consents[0] ?? {}, 'roles'),
    sampleState({ assignments: sampleAssignments.slice(1) }),
  ],
  [
    'consents, when the file leaves them to others',
    [],
    (file) => ({ apis: file.apis, clients: file.clients }),
    sampleState({ assignments: [] }),
  ],
  [
    'an assignment without role, which the file does not speak of',
    [],
    same,
    sampleState({
      assignments: [
        ...sampleAssignments,
        {
          id: 'x',
          principalId: ids.clientPrincipal,
          resourceId: ids.apiPrincipal,
          appRoleId: '00000000-0000-0000-0000-000000000000',
        },
      ],
    }),
  ],
]

describeDifferences('a plan for permissions and consents has', differences)
