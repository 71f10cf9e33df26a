package dev.outbox.sample.recovery;

import java.util.UUID;
import org.springframework.stereotype.Service;

/** Restores a snapshot: publishes the start, restores the roles outside any transaction, and publishes the result. */
@Service
final class RestoreWorkflow {

    private final Snapshots snapshots;
    private final Restores restores;

    RestoreWorkflow(Snapshots snapshots, Restores restores) {
        this.snapshots = snapshots;
        this.restores = restores;
    }

    RestoreJob run(UUID snapshotId) {
        Snapshot snapshot = snapshots.find(snapshotId);
        RestoreJob job = restores.start(snapshot);
        if (snapshot.roles().isEmpty()) {
            return restores.fail(job, "the snapshot holds no roles");
        }
        // A real service would call Discord here, once per role.
        return restores.complete(job, snapshot.roles().size() + " roles restored");
    }
}
