package dev.onceward.consumer.internal.offsets;

import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the note that goes with an offset commit, as ASCII text.
 *
 * <p>The note is a hint. A reader takes what is not an intact note of a version it knows, written
 * beside the very same offset, for no note at all; then records are run again, and none is lost.
 * Thread-safe.
 */
public final class NoteCodec {

  private static final Encoded NOTHING = new Encoded("", 0);

  private final int maxChars;

  /**
   * Writes notes of a bounded length.
   *
   * @param maxChars what the broker takes ({@code offset.metadata.max.bytes}, in characters); no
   *     note is ever longer than 16384 characters
   * @throws IllegalArgumentException when it is negative
   */
  public NoteCodec(int maxChars) {
    if (maxChars < 0) {
      throw new IllegalArgumentException(
          "the longest note cannot have " + maxChars + " characters: use 0 for no note");
    }
    this.maxChars = Math.min(maxChars, NoteFrame.MAX_CHARS);
  }

  /**
   * Writes a note. One that would be too long says less: it keeps the entries, first those of
   * records that had started or crashed and then those of the lowest offsets, and calls done what
   * fits of the lowest offsets. Where not even the flags fit, the text is empty.
   */
  public Encoded encode(NoteContent content) {
    NoteHead head = new NoteHead(content);
    DoneRuns done = DoneRuns.between(content.base(), content.end(), content.unfinished());
    if (head.isBlank() && done.size() == 0) {
      return NOTHING;
    }
    RunsForm runs = new RunsForm(head, done);
    PackedBody whole = runs.packed();
    if (BitsForm.canBeat(whole.size(), head, done)) {
      BitsForm bits = new BitsForm(head, done, whole.size());
      PackedBody wholeBits = bits.packed(bits.items());
      if (wholeBits.size() < whole.size()) {
        whole = wholeBits;
      }
    }
    int wanted = NoteFrame.chars(whole.size());
    String text =
        wanted <= maxChars ? NoteFrame.write(content.base(), whole) : clipped(head, runs, done);
    return new Encoded(text, wanted);
  }

  private String clipped(NoteHead head, RunsForm runs, DoneRuns done) {
    int maxBytes = NoteFrame.maxBodyBytes(maxChars);
    LongestFit best = LongestFit.of(runs, maxBytes);
    if (best == null) {
      return "";
    }
    if (done.size() > 0) {
      LongestFit byBits = LongestFit.of(new BitsForm(head, done, maxBytes), maxBytes);
      if (byBits != null && byBits.coveredTo() > best.coveredTo()) {
        best = byBits;
      }
    }
    return NoteFrame.write(head.base(), best.packed());
  }

  /**
   * Reads a note.
   *
   * @param base the committed offset that it came with
   * @param text the metadata of the commit, of whatever origin
   * @return what it says, or {@link CommitNote#NONE} when it is not an intact note of ours
   */
  public CommitNote decode(long base, @Nullable String text) {
    if (text == null || text.isEmpty() || base < 0) {
      return CommitNote.NONE;
    }
    try {
      return NoteReader.read(base, NoteFrame.read(base, text));
    } catch (MalformedNoteException e) {
      // foreign, future or damaged: by contract that is no note
      return CommitNote.NONE;
    }
  }

  /**
   * A note as text.
   *
   * @param text never longer than allowed
   * @param wantedChars the length of the note that says everything; when it is greater than that of
   *     the text, the text says less
   */
  public record Encoded(String text, int wantedChars) {}
}
