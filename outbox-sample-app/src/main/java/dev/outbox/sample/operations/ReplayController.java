package dev.outbox.sample.operations;

import dev.outbox.operations.Replays;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.net.URI;
import java.util.List;
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
    ResponseEntity<ReplayReport> start(@Valid @RequestBody ReplayOrder order) {
        long id = replays.start(order.request(), order.by(), order.reason());
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
    ReplayReport cancel(@PathVariable long id, @Valid @RequestBody Cancellation request) {
        replays.cancel(id, request.by());
        return find(id);
    }

    record Cancellation(@NotBlank String by) {}
}
