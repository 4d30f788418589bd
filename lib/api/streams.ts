import { ApiError, serverIsBusy } from "#lib/contract/errors.ts";

/** Milliseconds between two checks of a token. A stream ends within twice this time after its token. */
const CHECK_MS = 15_000;

interface Dependencies {
  maxStreams: number;
  maxStreamsPerToken: number;
  isValid(token: string): Promise<boolean>;
  failed(error: unknown): void;
}

/** Limits the open streams of this process, such as events and whole lists. They hold no slot of the server. */
export class Streams {
  readonly #deps: Dependencies;
  readonly #checkMs: number;
  /** Controllers that end streams, by the caller's id. */
  readonly #callers = new Map<string, { token: string; open: Set<AbortController> }>();
  size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Dependencies, { checkMs = CHECK_MS } = {}) {
    this.#deps = deps;
    this.#checkMs = checkMs;
  }

  /**
   * Opens a stream that lasts until its pieces end or its reader returns. `signal` is aborted then, and when the token is no
   * longer valid: `pieces` has to end soon after. Throws TOO_MANY_REQUESTS (429) or SERVICE_UNAVAILABLE if the token, or the
   * server, has too many streams.
   */
  open<T>(
    caller: string,
    token: string,
    pieces: (signal: AbortSignal) => AsyncIterator<T>,
  ): AsyncIterator<T> {
    const { maxStreams, maxStreamsPerToken } = this.#deps;
    if (this.size >= maxStreams) throw serverIsBusy();
    const known = this.#callers.get(caller) ?? { token, open: new Set() };
    if (known.open.size >= maxStreamsPerToken) {
      const message = `This token already has ${maxStreamsPerToken} open streams`;
      throw new ApiError("TOO_MANY_REQUESTS", [{ path: [], code: "too_many_streams", message }], {
        "Retry-After": "10",
      });
    }
    const end = new AbortController();
    const made = pieces(end.signal);
    known.open.add(end);
    this.#callers.set(caller, known);
    this.size += 1;
    this.#timer ??= setInterval(() => void this.#checkTokens(), this.#checkMs).unref();
    const close = () => {
      end.abort();
      if (!known.open.delete(end)) return;
      if (known.open.size === 0) this.#callers.delete(caller);
      this.size -= 1;
      if (this.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
    return {
      async next() {
        try {
          const piece = await made.next();
          if (piece.done) close();
          return piece;
        } catch (error) {
          close();
          throw error;
        }
      },
      // A generator returns only after its pending piece, which may take long.
      async return() {
        close();
        void made.return?.();
        return { done: true, value: undefined };
      },
    };
  }

  async #checkTokens(): Promise<void> {
    for (const { token, open } of [...this.#callers.values()]) {
      try {
        if (await this.#deps.isValid(token)) continue;
      } catch (error) {
        this.#deps.failed(error);
        return;
      }
      for (const end of open) end.abort();
    }
  }
}
