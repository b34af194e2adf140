/** A registrations file with one API and many clients, each with a role and a secret. */
export const manyClients = (count: number) => ({
  apis: [
    {
      displayName: 'Orders',
      appRoles: [{ value: 'Read', displayName: 'Read', description: 'Reads orders.' }],
    },
  ],
  clients: Array.from({ length: count }, (_, index) => ({
    displayName: `Client ${index}`,
    permissions: [{ api: 'Orders', roles: ['Read'] }],
    secrets: [{ displayName: 'First' }],
  })),
  consents: Array.from({ length: count }, (_, index) => ({
    client: `Client ${index}`,
    api: 'Orders',
  })),
})
