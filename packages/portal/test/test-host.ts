import type { PortalHost } from '../src/portal-host.ts'

type Sealed = readonly [purpose: string, text: string]

/** The parts of a server that sessions and links use. It hides nothing, and binds texts to their purpose. */
export const testHost = {
  now: () => new Date(),
  newGuid: () => crypto.randomUUID(),
  seal: (...sealed: Sealed) => Buffer.from(JSON.stringify(sealed)).toString('base64url'),
  open: (purpose: string, text: string) => {
    const sealed: Sealed = JSON.parse(Buffer.from(text, 'base64url').toString())
    return sealed[0] === purpose ? sealed[1] : undefined
  },
  usedUp: { spend: async () => true, isSpent: async () => false },
  isAdministrator: async (): Promise<boolean> => true,
  clockToleranceSeconds: 60,
} satisfies Partial<PortalHost>
