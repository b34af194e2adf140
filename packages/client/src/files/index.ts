export { federatedAssertionFile } from './assertion-file.ts'
export { type ClientCertificateFiles, clientCertificateFiles } from './certificate-files.ts'
export { clientSecretFile } from './secret-file.ts'
export { tokenCacheFile } from './token-cache-file.ts'
