package dev.outbox.sample.backtest;

import dev.outbox.sample.web.Name;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Backtests over HTTP. */
@RestController
@RequestMapping("/backtests")
final class BacktestController {

    private final Backtests backtests;

    BacktestController(Backtests backtests) {
        this.backtests = backtests;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    Queued queue(@Valid @RequestBody QueueBacktest request) {
        return new Queued(
                backtests.queue(request.ownerId(), request.strategyKey(), request.market(), request.candles()));
    }

    @GetMapping("/{id}")
    Backtest find(@PathVariable UUID id) {
        return backtests.find(id).orElseThrow(() -> new NotFoundException("backtest", id));
    }

    record QueueBacktest(
            @Name String ownerId,
            @Name String strategyKey,
            @Name String market,
            @Min(1) @Max(1_000_000) int candles) {}

    record Queued(UUID id) {}
}
