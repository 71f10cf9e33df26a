package dev.outbox.sample.operations;

import dev.outbox.operations.OutboxOperations;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import java.security.Principal;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Pauses and resumes handlers and streams over HTTP, in every process. */
@RestController
@RequestMapping("/operations")
final class PauseController {

    private final OutboxOperations operations;

    PauseController(OutboxOperations operations) {
        this.operations = operations;
    }

    @PostMapping("/handlers/{id}/pause")
    Changed pauseHandler(@PathVariable String id, @Valid @RequestBody Wish wish, @Nullable Principal login) {
        return new Changed(operations.pauseHandler(id, Operator.of(login, wish.by()), wish.reason()));
    }

    @PostMapping("/handlers/{id}/resume")
    Changed resumeHandler(@PathVariable String id, @Valid @RequestBody Wish wish, @Nullable Principal login) {
        return new Changed(operations.resumeHandler(id, Operator.of(login, wish.by()), wish.reason()));
    }

    @PostMapping("/streams/{name}/pause")
    Changed pauseStream(@PathVariable String name, @Valid @RequestBody Wish wish, @Nullable Principal login) {
        return new Changed(operations.pauseStream(name, Operator.of(login, wish.by()), wish.reason()));
    }

    @PostMapping("/streams/{name}/resume")
    Changed resumeStream(@PathVariable String name, @Valid @RequestBody Wish wish, @Nullable Principal login) {
        return new Changed(operations.resumeStream(name, Operator.of(login, wish.by()), wish.reason()));
    }

    /** Operator and reason. */
    record Wish(@Nullable String by, @NotBlank String reason) {}

    /** Whether the request changed anything. */
    record Changed(boolean changed) {}
}
