import { mkdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

const writableByOthers = 0o022

/**
 * The user's cache folder. The default of Node is a fixed name in the common temporary folder, where
 * another user can put compiled code of their own.
 */
function cacheFolder({ XDG_CACHE_HOME = '', LOCALAPPDATA = '' }) {
  const caches = {
    win32: LOCALAPPDATA || join(homedir(), 'AppData', 'Local'),
    darwin: join(homedir(), 'Library', 'Caches'),
  }
  // XDG Base Directory Specification: a relative path is ignored.
  const other = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
  return join(caches[process.platform] ?? other, 'greeting', 'compiled')
}

function isPrivate(folder) {
  const { uid, mode } = statSync(folder)
  return process.platform === 'win32' || (uid === process.geteuid() && !(mode & writableByOthers))
}

/**
 * Keeps compiled code for the next start, of this process and of those that it starts. A folder that
 * cannot be used costs time only, so that no failure is reported.
 */
export function enableCompileCache(environment) {
  // Node itself obeys these two.
  if (environment.NODE_COMPILE_CACHE || environment.NODE_DISABLE_COMPILE_CACHE) return
  try {
    const folder = cacheFolder(environment)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isPrivate(folder)) return
    module.enableCompileCache(folder)
    environment.NODE_COMPILE_CACHE = folder
  } catch {
    // Without a home folder, or where it is read-only, each start compiles.
  }
}
