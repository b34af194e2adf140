export { envText } from './env-text.ts'
export { makeFolder } from './make-folder.ts'
export {
  createSecretFile,
  readIfThere,
  readPrivateFile,
  replaceSecretFile,
  unless,
} from './secret-file.ts'
export { recoverSecretFile, type StagedSecretFile, stageSecretFile } from './staged-secret-file.ts'
