/** A registrations file for the six steps (contract C11 to C17), written by hand. */
export const sampleFile = () => ({
  apis: [
    {
      displayName: 'Greeting API',
      appRoles: [
        {
          value: 'CallHiApiRole',
          displayName: 'Call hi',
          description: 'Grants access to the hi endpoint.',
        },
        {
          value: 'CallHelloApiRole',
          displayName: 'Call hello',
          description: 'Grants access to the hello endpoint.',
        },
      ],
    },
  ],
  clients: [
    {
      displayName: 'Greeting client',
      permissions: [{ api: 'Greeting API', roles: ['CallHiApiRole', 'CallHelloApiRole'] }],
      secrets: [{ displayName: 'primary' }],
    },
  ],
  consents: [
    {
      client: 'Greeting client',
      api: 'Greeting API',
      roles: ['CallHiApiRole', 'CallHelloApiRole'],
    },
  ],
})
