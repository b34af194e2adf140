import type { Application } from './application.ts'

/**
 * Names a credential on the whole server. The owner of an application chooses the `keyId` of a certificate,
 * so another application may have the same `keyId`.
 */
export const credentialName = ({ id }: Pick<Application, 'id'>, keyId: string): string =>
  `${id}/${keyId}`
