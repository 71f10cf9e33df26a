package dev.outbox.sample.trading;

import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Signals and orders over HTTP. */
@RestController
final class TradingController {

    private final Signals signals;
    private final OrderIntents intents;
    private final OrderAttempts attempts;

    TradingController(Signals signals, OrderIntents intents, OrderAttempts attempts) {
        this.signals = signals;
        this.intents = intents;
        this.attempts = attempts;
    }

    @PostMapping("/signals")
    @ResponseStatus(HttpStatus.CREATED)
    Accepted accept(@Valid @RequestBody Signal signal) {
        return new Accepted(signals.accept(signal));
    }

    @GetMapping("/order-intents/{id}")
    OrderIntent intent(@PathVariable UUID id) {
        return intents.find(id).orElseThrow(() -> new NotFoundException("order intent", id));
    }

    @GetMapping("/order-intents/{id}/attempts")
    List<OrderAttempt> attempts(@PathVariable UUID id) {
        return attempts.ofIntent(id);
    }

    record Accepted(UUID orderIntentId) {}
}
