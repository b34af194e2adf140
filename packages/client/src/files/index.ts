// Folder: Files of the client: its credentials, and tokens that several processes share.

export {
  type ClientCertificateFiles,
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from './credential-files.ts'
export { type RollCertificateOptions, rollCertificate } from './roll-certificate.ts'
export { textOfFile } from './text-file.ts'
export { tokenCacheFile } from './token-cache-file.ts'
