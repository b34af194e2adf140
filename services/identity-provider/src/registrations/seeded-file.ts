import { join } from 'node:path'
import {
  recoverSecretFile,
  type StagedSecretFile,
  stageSecretFile,
} from '../files/staged-secret-file.ts'
import type { Seeded } from './seed-changes.ts'

const pathIn = (dataDir: string) => join(dataDir, 'seeded.json')

/** Writes the IDs and secrets to a staged file, before the commit to the directory. */
export const draftSeededFile = (dataDir: string, seeded: Seeded): Promise<StagedSecretFile> =>
  stageSecretFile(pathIn(dataDir), `${JSON.stringify(seeded, null, 2)}\n`)

/** Keeps or removes a staged file that a crash left behind, once the directory is filled. */
export const recoverSeededFile = (
  dataDir: string,
  isKnown: (seeded: Seeded) => boolean | Promise<boolean>,
  now: Date,
): Promise<void> =>
  recoverSecretFile(
    pathIn(dataDir),
    (text) => {
      const seeded = parse(text)
      return seeded !== undefined && isKnown(seeded)
    },
    now,
  )

// A crash during the write leaves an incomplete file. The commit comes later, so it did not happen.
function parse(text: string): Seeded | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
