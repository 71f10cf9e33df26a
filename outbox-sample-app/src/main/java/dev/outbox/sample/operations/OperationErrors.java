package dev.outbox.sample.operations;

import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Answers a refused operation with the reason. */
@RestControllerAdvice
final class OperationErrors {

    @ExceptionHandler
    ProblemDetail refused(InvalidOperationException refusal) {
        HttpStatus status = refusal.reason() == Reason.UNKNOWN_HANDLER ? HttpStatus.NOT_FOUND : HttpStatus.BAD_REQUEST;
        return ProblemDetail.forStatusAndDetail(status, refusal.getMessage());
    }
}
