import { appendFile, readFile, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { textOfFile } from '@greeting/client/files'
import { z } from 'zod'
import { cannotWrite, isChangeableByOthers } from '../files/env-file.ts'
import { makeFolder } from '../files/make-folder.ts'

const guid = z.guid()

/**
 * The IDs of the applications that this command registered, in the data folder. The directory
 * cannot prove this: its users can choose all properties of an application.
 */
export class RegisteredApplications {
  readonly path: string

  constructor(dataDir: string) {
    this.path = join(dataDir, 'registered-applications.txt')
  }

  /** The IDs. Empty when the file is missing, or when other users can write to it. */
  async read(): Promise<Set<string>> {
    try {
      if (isChangeableByOthers(await stat(this.path))) return new Set()
      const lines = textOfFile(await readFile(this.path), this.path).split(/\s+/)
      return new Set(lines.filter((line) => guid.safeParse(line).success))
    } catch {
      return new Set()
    }
  }

  /** Adds an ID; it resolves when the ID is on disk. */
  readonly add = async (applicationId: string): Promise<void> => {
    await makeFolder(dirname(this.path))
      .then(() => appendFile(this.path, `${applicationId}\n`, { mode: 0o600, flush: true }))
      .catch(cannotWrite(this.path))
  }
}
