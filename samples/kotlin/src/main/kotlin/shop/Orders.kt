package shop

import dev.outbox.OutboxHandler
import dev.outbox.OutboxPublisher
import org.slf4j.LoggerFactory
import org.springframework.stereotype.Component
import org.springframework.stereotype.Service
import org.springframework.transaction.annotation.Transactional

@JvmInline
value class Cents(val value: Long)

sealed interface OrderEvent

data class OrderPlaced(val orderId: String, val total: Cents) : OrderEvent

data class OrderCancelled(val orderId: String, val by: String = "customer") : OrderEvent

data object OrdersClosed : OrderEvent

@Service
class Orders(private val outbox: OutboxPublisher) {

    @Transactional
    fun place(orderId: String, total: Cents) {
        outbox.publish("order", orderId, OrderPlaced(orderId, total))
    }
}

@Component
class Journal {

    private val log = LoggerFactory.getLogger(Journal::class.java)

    val entries = mutableListOf<OrderEvent>()

    @OutboxHandler(id = "journal")
    fun add(event: OrderEvent) {
        entries += event
        log.info("{}", event)
    }
}
