/** Answers that can be held back for a moment, while their connections stay open. */
export class HeldAnswers {
  #held: (() => void)[] | undefined

  /** Runs an answer, or holds it back until the release. */
  run(answer: () => void): void {
    if (this.#held === undefined) answer()
    else this.#held.push(answer)
  }

  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const answer of held) answer()
  }
}
