import { DatabaseSync } from 'node:sqlite'

/** A database that records the statements that it receives. */
export class ListeningDatabase extends DatabaseSync {
  readonly statements: string[] = []

  override prepare(statement: string) {
    this.statements.push(statement)
    return super.prepare(statement)
  }

  /** The steps in which SQLite executes a statement. */
  planOf(statement: string): string[] {
    return super
      .prepare(`explain query plan ${statement}`)
      .all()
      .map(({ detail }) => String(detail))
  }
}
