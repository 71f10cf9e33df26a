package dev.outbox.sample.events;

import java.util.List;
import java.util.UUID;
import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * Events about snapshots, restores and attacks: published by recovery, aggregates {@code snapshot},
 * {@code restore_job} and {@code incident}, with the guild in {@link Headers#GUILD_ID}.
 */
@JsonNaming(SnakeCaseStrategy.class)
public sealed interface RecoveryEvent {

    /** A snapshot of a guild was taken; {@code trigger} says why. */
    record SnapshotCreated(UUID snapshotId, String guildId, String trigger) implements RecoveryEvent {}

    /** A snapshot made room for newer ones. */
    record SnapshotDeleted(UUID snapshotId, String guildId) implements RecoveryEvent {}

    /** A restore has begun. */
    record RestoreStarted(UUID restoreJobId, UUID snapshotId, String guildId) implements RecoveryEvent {}

    /** A restore is done. */
    record RestoreCompleted(UUID restoreJobId, String resultSummary) implements RecoveryEvent {}

    /** A restore has failed. */
    record RestoreFailed(UUID restoreJobId, String errorSummary) implements RecoveryEvent {}

    /** Something in a guild looks like an attack. */
    record AntiNukeTriggered(String guildId, String detectedPattern, List<String> suspects) implements RecoveryEvent {}

    /** An attack was answered, or its answer was given up for now: the actions say for each suspect what was done. */
    record AntiNukeActioned(String guildId, List<String> actionsTaken) implements RecoveryEvent {}
}
