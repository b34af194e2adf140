/** Runs tasks one after the other, in the order of their calls. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve()

  /** @returns the result of the task */
  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task)
    this.#last = result.catch(() => undefined)
    return result
  }
}
