package dev.outbox.sample.recovery;

import dev.outbox.sample.web.Name;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Snapshots, restores and incidents over HTTP. */
@RestController
final class RecoveryController {

    private final Snapshots snapshots;
    private final Restores restores;
    private final Incidents incidents;

    RecoveryController(Snapshots snapshots, Restores restores, Incidents incidents) {
        this.snapshots = snapshots;
        this.restores = restores;
        this.incidents = incidents;
    }

    @PostMapping("/guilds/{guildId}/snapshots")
    @ResponseStatus(HttpStatus.CREATED)
    Snapshot take(@PathVariable @Name String guildId, @Valid @RequestBody TakeSnapshot request) {
        return snapshots.take(guildId, request.trigger());
    }

    @GetMapping("/snapshots/{id}")
    Snapshot findSnapshot(@PathVariable UUID id) {
        return snapshots.find(id);
    }

    @PostMapping("/snapshots/{id}/restores")
    @ResponseStatus(HttpStatus.ACCEPTED)
    RestoreJob restore(@PathVariable UUID id) {
        return restores.start(snapshots.find(id));
    }

    @GetMapping("/restores/{id}")
    RestoreJob findRestore(@PathVariable UUID id) {
        return restores.find(id);
    }

    @PostMapping("/guilds/{guildId}/incidents")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Incident report(@PathVariable @Name String guildId, @Valid @RequestBody ReportIncident request) {
        return incidents.report(guildId, request.pattern(), request.suspects());
    }

    @GetMapping("/incidents/{id}")
    Incident findIncident(@PathVariable UUID id) {
        return incidents.find(id);
    }

    record TakeSnapshot(@Name String trigger) {}

    record ReportIncident(@Name String pattern, @NotEmpty List<@Name String> suspects) {}
}
