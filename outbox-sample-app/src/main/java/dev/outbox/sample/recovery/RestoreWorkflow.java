package dev.outbox.sample.recovery;

import java.util.UUID;
import org.springframework.stereotype.Service;

/** Restores a snapshot: says that it begins, gives the roles back outside any transaction, says how it ended. */
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
        // Discord would be called here, a role at a time.
        return restores.complete(job, snapshot.roles().size() + " roles restored");
    }
}
