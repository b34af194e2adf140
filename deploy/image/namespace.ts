/** A user that no file of the image belongs to, as OpenShift chooses one for each namespace. */
export const userId = 1_000_730_000

/**
 * The command that runs a program in a root file system as a container runtime does: another user
 * without capabilities, no new privileges, a read-only root and its own processes. The network is
 * that of the machine, so that a test reaches the program.
 *
 * @param program the program and its arguments, as paths in the root file system
 * @param writable folders of this machine by their mount point
 */
export const inNamespace = (
  rootFileSystem: string,
  program: readonly string[],
  writable: Readonly<Record<string, string>> = {},
): string[] => [
  'bwrap',
  ...['--unshare-all', '--share-net', '--as-pid-1', '--die-with-parent'],
  ...['--uid', String(userId), '--gid', '0', '--cap-drop', 'ALL'],
  ...['--ro-bind', rootFileSystem, '/', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'],
  ...Object.entries(writable).flatMap(([to, from]) => ['--bind', from, to]),
  '--',
  ...program,
]
