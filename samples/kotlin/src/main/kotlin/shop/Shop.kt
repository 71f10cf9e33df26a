package shop

import org.springframework.boot.autoconfigure.SpringBootApplication
import org.springframework.boot.runApplication

@SpringBootApplication
class Shop

fun main(arguments: Array<String>) {
    runApplication<Shop>(*arguments)
}
