/* Messages of the tools to users. */
#include "support/answer/tool_phrases.h"

#include <stddef.h>

static const struct tool_phrases phrases[] = {
    {TEXT_EN,
     "Shall a ticket be created for an operator: \"%s\"? Please confirm.",
     "The ticket was created. An operator will answer you.",
     "No ticket was created.",
     {"Order %s is on its way.", "Order %s is being picked.", "Order %s is being processed."},
     "Nothing was found in the documents."},
    {TEXT_RU,
     "Создать обращение к оператору: «%s»? Пожалуйста, подтвердите.",
     "Обращение создано. Вам ответит оператор.",
     "Обращение не создано.",
     {"Заказ %s в пути.", "Заказ %s собирается.", "Заказ %s обрабатывается."},
     "В документах ничего не найдено."},
    {TEXT_DE,
     "Soll ein Ticket angelegt werden: „%s“? Bitte bestätigen Sie.",
     "Das Ticket wurde angelegt. Sie erhalten eine Antwort von einem Menschen.",
     "Es wurde kein Ticket angelegt.",
     {"Bestellung %s ist unterwegs.", "Bestellung %s wird zusammengestellt.",
      "Bestellung %s wird bearbeitet."},
     "In den Dokumenten wurde nichts gefunden."},
    {TEXT_FR,
     "Faut-il créer un ticket pour un opérateur : « %s » ? Merci de confirmer.",
     "Le ticket a été créé. Un opérateur vous répondra.",
     "Aucun ticket n'a été créé.",
     {"La commande %s est en route.", "La commande %s est en préparation.",
      "La commande %s est en cours de traitement."},
     "Rien n'a été trouvé dans les documents."},
    {TEXT_ES,
     "¿Se crea un ticket para un operador: «%s»? Confírmelo, por favor.",
     "El ticket se ha creado. Le responderá un operador.",
     "No se ha creado ningún ticket.",
     {"El pedido %s está en camino.", "El pedido %s se está preparando.",
      "El pedido %s se está tramitando."},
     "No se ha encontrado nada en los documentos."},
    {TEXT_ZH,
     "是否为客服创建工单：“%s”？请确认。",
     "工单已创建，客服会回复您。",
     "未创建工单。",
     {"订单 %s 正在运送途中。", "订单 %s 正在拣货。", "订单 %s 正在处理。"},
     "文档中未找到相关内容。"},
    {TEXT_AR,
     "هل ننشئ تذكرة لأحد الموظفين: «%s»؟ يرجى التأكيد.",
     "تم إنشاء التذكرة، وسيرد عليك أحد الموظفين.",
     "لم يتم إنشاء أي تذكرة.",
     {"الطلب %s في الطريق.", "الطلب %s قيد التجهيز.", "الطلب %s قيد المعالجة."},
     "لم يُعثر على شيء في المستندات."},
};

const struct tool_phrases *tool_phrases_of(enum text_language language)
{
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++)
        if (phrases[i].language == language)
            return &phrases[i];
    return &phrases[0];
}
