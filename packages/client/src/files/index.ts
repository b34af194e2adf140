export {
  type ClientCertificateFiles,
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from './credential-files.ts'
export { tokenCacheFile } from './token-cache-file.ts'
