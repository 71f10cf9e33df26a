package dev.outbox.sample.billing;

import java.net.URI;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Subscriptions over HTTP. */
@RestController
@RequestMapping("/subscriptions")
final class SubscriptionController {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    private final Subscriptions subscriptions;

    SubscriptionController(Subscriptions subscriptions) {
        this.subscriptions = subscriptions;
    }

    @PostMapping
    ResponseEntity<Subscription> start(@RequestBody StartSubscription request) {
        Subscription started =
                subscriptions.start(name("guildId", request.guildId()), name("planCode", request.planCode()));
        return ResponseEntity.created(URI.create("/subscriptions/" + started.id()))
                .body(started);
    }

    @GetMapping("/{id}")
    Subscription find(@PathVariable UUID id) {
        return subscriptions
                .find(id)
                .orElseThrow(() ->
                        new ResponseStatusException(HttpStatus.NOT_FOUND, "there is no subscription with id " + id));
    }

    private static String name(String field, @Nullable String value) {
        if (value == null || !NAME.matcher(value).matches()) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, field + " must be 1 to 64 letters, digits, '-' or '_'");
        }
        return value;
    }

    record StartSubscription(
            @Nullable String guildId, @Nullable String planCode) {}
}
