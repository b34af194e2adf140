import type { Application } from './application.ts'

/**
 * Names a credential on the whole server. The `keyId` of a certificate is chosen by the owner of the
 * application, so alone it could be that of a stranger's credential.
 */
export const credentialName = ({ id }: Pick<Application, 'id'>, keyId: string): string =>
  `${id}/${keyId}`
