package dev.outbox.sample.operations;

import dev.outbox.operations.Replays;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import java.net.URI;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Replays over HTTP. */
@RestController
@RequestMapping("/operations/replays")
final class ReplayController {

    private final Replays replays;

    ReplayController(Replays replays) {
        this.replays = replays;
    }

    @PostMapping
    ResponseEntity<ReplayReport> start(@Valid @RequestBody ReplayOrder order, @Nullable Principal login) {
        long id = replays.start(order.request(), Operator.of(login, order.by()), order.reason());
        return ResponseEntity.created(URI.create("/operations/replays/" + id)).body(find(id));
    }

    @GetMapping
    List<ReplayReport> latest() {
        return replays.list().stream().map(ReplayReport::of).toList();
    }

    @GetMapping("/{id}")
    ReplayReport find(@PathVariable long id) {
        return replays.find(id).map(ReplayReport::of).orElseThrow(() -> new NotFoundException("replay", id));
    }

    /** Cancels a replay. Does not change one that has ended. */
    @PostMapping("/{id}/cancel")
    ReplayReport cancel(@PathVariable long id, @Valid @RequestBody Cancellation request, @Nullable Principal login) {
        replays.cancel(id, Operator.of(login, request.by()));
        return find(id);
    }

    record Cancellation(@Nullable String by) {}
}
