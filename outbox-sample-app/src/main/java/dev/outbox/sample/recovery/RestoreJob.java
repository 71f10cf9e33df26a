package dev.outbox.sample.recovery;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A restore of a snapshot: {@code running}, then {@code completed} or {@code failed}. A failed one completes if a retry succeeds. */
record RestoreJob(
        UUID id,
        UUID snapshotId,
        String guildId,
        String status,
        @Nullable String summary) {

    boolean isCompleted() {
        return status.equals("completed");
    }
}
