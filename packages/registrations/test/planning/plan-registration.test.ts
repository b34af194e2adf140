import { api, type Difference, describeDifferences, role, same, set } from './difference.ts'
import { ids, sampleApi, sampleAssignments, sampleClient, sampleState } from './sample-state.ts'

const differences: Difference[] = [
  ['no changes, when the directory matches the file', [], same],
  [
    'an API that is not registered, before the changes that need it',
    [
      'createApplication   + application "Greeting API"',
      'updateApplication   + identifier URI of "Greeting API": api://{applicationId}',
      'createServicePrincipal   + service principal of "Greeting API"',
      `setAppRoles   + role CallHiApiRole of "Greeting API" (${ids.hi})`,
      `setAppRoles   + role CallHelloApiRole of "Greeting API" (${ids.hello})`,
    ],
    (file) => {
      set(role(file), { id: ids.hi })
      set(role(file, 1), { id: ids.hello })
      return { apis: file.apis }
    },
    sampleState({ api: null, apiPrincipal: null, assignments: [] }),
  ],
  [
    'a client that is not registered',
    [
      'createApplication   + application "Job"',
      'createServicePrincipal   + service principal of "Job"',
      'setPermissions   + "Job" requests CallHiApiRole of "Greeting API"',
    ],
    (file) =>
      void file.clients.push({
        displayName: 'Job',
        permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole'] }],
        secrets: [],
      }),
  ],
  [
    'a service principal that is missing',
    ['createServicePrincipal   + service principal of "Greeting API"'],
    (file) => ({ apis: file.apis }),
    sampleState({ apiPrincipal: null }),
  ],
  [
    'an API without identifier URI',
    [`updateApplication   + identifier URI of "Greeting API": api://${ids.api}`],
    same,
    sampleState({ api: { identifierUris: [] } }),
  ],
  [
    'no changes, when the file has no identifier URI',
    [],
    same,
    sampleState({ api: { identifierUris: ['api://orders.example'] } }),
  ],
  [
    'an identifier URI that replaces another',
    [
      `updateApplication ! + identifier URI of "Greeting API": api://${ids.api}`,
      'updateApplication ! - identifier URI of "Greeting API": api://orders.example',
    ],
    (file) => set(api(file), { identifierUris: ['api://{applicationId}'] }),
    sampleState({ api: { identifierUris: ['api://orders.example'] } }),
  ],
  [
    'another version of the tokens',
    ['updateApplication ! ~ "Greeting API": requestedAccessTokenVersion 1 -> 2'],
    (file) => set(api(file), { requestedAccessTokenVersion: 2 }),
  ],
  [
    'no changes, for the default version of the tokens',
    [],
    (file) => set(api(file), { requestedAccessTokenVersion: 1 }),
  ],
  [
    'an assignment that becomes required',
    ['updateServicePrincipal ! ~ "Greeting API": appRoleAssignmentRequired false -> true'],
    (file) => set(api(file), { appRoleAssignmentRequired: true }),
  ],
  [
    'an assignment that is no longer required',
    ['updateServicePrincipal   ~ "Greeting API": appRoleAssignmentRequired true -> false'],
    (file) => set(api(file), { appRoleAssignmentRequired: false }),
    sampleState({ apiPrincipal: { appRoleAssignmentRequired: true } }),
  ],
  [
    'another name of an application that was found by its ID',
    ['updateApplication   ~ "Greeting API": displayName "Old name" -> "Greeting API"'],
    (file) => set(api(file), { applicationId: ids.api }),
    sampleState({ api: { displayName: 'Old name' } }),
  ],
  [
    'another name of an API that was found by its identifier URI',
    ['updateApplication   ~ "Greeting API": displayName "Old name" -> "Greeting API"'],
    (file) => set(api(file), { identifierUris: [`api://${ids.api}`] }),
    sampleState({ api: { displayName: 'Old name' } }),
  ],
  [
    'a role that is added',
    [`setAppRoles   + role CallByeApiRole of "Greeting API" (${ids.other})`],
    (file) =>
      void file.apis[0]?.appRoles.push(
        Object.assign(
          { value: 'CallByeApiRole', displayName: 'Call bye', description: 'Grants bye.' },
          { id: ids.other },
        ),
      ),
  ],
  [
    'another description of a role',
    [
      'setAppRoles   ~ role CallHiApiRole of "Greeting API": description "Grants access to the hi endpoint." -> "Grants hi."',
    ],
    (file) => set(role(file), { description: 'Grants hi.' }),
  ],
  [
    'a role that is disabled',
    ['setAppRoles ! ~ role CallHiApiRole of "Greeting API": isEnabled true -> false'],
    (file) => set(role(file), { isEnabled: false }),
  ],
  [
    'a role that users can have too',
    [
      'setAppRoles   ~ role CallHiApiRole of "Greeting API": allowedMemberTypes Application -> Application+User',
    ],
    (file) => set(role(file), { allowedMemberTypes: ['Application', 'User'] }),
  ],
  [
    'a role with another value, which is disabled first',
    [
      'disableAppRoles ! ~ role CallHiApiRole of "Greeting API": disabled before its change',
      'setAppRoles ! ~ role CallHiApiRole of "Greeting API": value "CallHiApiRole" -> "SayHi"',
    ],
    (file) => {
      set(role(file), { id: ids.hi, value: 'SayHi' })
      return { apis: file.apis }
    },
  ],
  [
    'a role that is removed, which is disabled first',
    [
      'disableAppRoles ! ~ role CallHelloApiRole of "Greeting API": disabled before its change',
      `setAppRoles ! - role CallHelloApiRole of "Greeting API" (${ids.hello})`,
    ],
    (file) => ({ apis: file.apis.map((one) => ({ ...one, appRoles: one.appRoles.slice(0, 1) })) }),
  ],
  [
    'no changes, for a role of users, which a file does not describe',
    [],
    same,
    sampleState({
      api: {
        appRoles: [
          ...sampleApi.appRoles,
          {
            id: ids.other,
            value: 'Reader',
            displayName: '',
            description: '',
            isEnabled: true,
            allowedMemberTypes: ['User'],
          },
        ],
      },
    }),
  ],
  [
    'an application to remove, after all other changes',
    [
      'grantConsent   + "Greeting client" is granted CallHelloApiRole of "Greeting API"',
      `deleteApplication ! - application "Old job" (${ids.other}), with its service principal`,
    ],
    (file) => ({ ...file, removed: ['Old job', 'Never was'] }),
    sampleState({
      assignments: sampleAssignments.slice(0, 1),
      applications: [{ ...sampleClient, id: ids.secret, appId: ids.other, displayName: 'Old job' }],
    }),
  ],
]

describeDifferences('a plan for registrations and roles has', differences)
