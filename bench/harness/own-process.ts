import type { ChildProcess } from 'node:child_process'

const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

/** Lets a process end with the run, however that ends: nobody else would end it, or continue it when it is held. */
export function endWithRun<Child extends ChildProcess>(child: Child): Child {
  alive.add(child)
  child.once('close', () => alive.delete(child))
  return child
}
