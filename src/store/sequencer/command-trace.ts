/** Follows one command from its submission to its outcome, for traces. */
export interface CommandTrace {
  /** Its batch goes to the store, which locks its head. */
  taken(): void
  /** Its rule begins. Called again when the store asks for the decision again. */
  deciding(): void
  /** Its rule has decided; null: accepted. */
  decided(refusal: string | null): void
  /** Its outcome is known; null: it was decided and, if anything changed, is durable. */
  settled(failure: unknown): void
}

/** Called when a command is submitted; null if it is not traced. */
export type TraceCommand = (kind: string) => CommandTrace | null
