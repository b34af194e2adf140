import { join } from 'node:path'
import {
  recoverSecretFile,
  type StagedSecretFile,
  stageSecretFile,
} from '../files/staged-secret-file.ts'
import type { Seeded } from './seed.ts'

const pathIn = (dataDir: string) => join(dataDir, 'seeded.json')

/** Writes what was seeded as a draft: whether the directory takes it is not known yet. */
export const draftSeededFile = (dataDir: string, seeded: Seeded): Promise<StagedSecretFile> =>
  stageSecretFile(pathIn(dataDir), `${JSON.stringify(seeded, null, 2)}\n`)

/** Finds what a crash left between file and directory, once the directory is filled. */
export const recoverSeededFile = (
  dataDir: string,
  isKnown: (seeded: Seeded) => boolean,
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

// A draft that was cut short by the crash was never followed by a commit.
function parse(text: string): Seeded | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
