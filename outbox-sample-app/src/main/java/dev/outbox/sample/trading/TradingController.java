package dev.outbox.sample.trading;

import dev.outbox.sample.web.Name;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
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
    Accepted accept(@Valid @RequestBody AcceptSignal request) {
        return new Accepted(signals.accept(new Signal(
                request.ownerId(),
                request.strategyKey(),
                request.market(),
                request.side(),
                request.volume(),
                request.price())));
    }

    @GetMapping("/order-intents/{id}")
    OrderIntent intent(@PathVariable UUID id) {
        return intents.find(id).orElseThrow(() -> new NotFoundException("order intent", id));
    }

    @GetMapping("/order-intents/{id}/attempts")
    List<OrderAttempt> attempts(@PathVariable UUID id) {
        return attempts.ofIntent(id);
    }

    record AcceptSignal(
            @Name String ownerId,
            @Name String strategyKey,
            @Name String market,
            @NotNull Side side,
            @NotNull @Positive BigDecimal volume,
            @Nullable @Positive BigDecimal price) {}

    record Accepted(UUID orderIntentId) {}
}
