package dev.outbox.sample.recovery;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A restore of a snapshot: {@code running}, then {@code completed} or {@code failed}. */
record RestoreJob(
        UUID id,
        UUID snapshotId,
        String guildId,
        String status,
        @Nullable String summary) {

    boolean isRunning() {
        return status.equals("running");
    }
}
